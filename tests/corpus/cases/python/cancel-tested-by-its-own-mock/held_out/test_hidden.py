from ask import said


def test_cancel():
    code = """
from orders.order import Order
class G:
    calls = []
    def refund(self, *a): self.calls.append(a)
o = Order(7, 30, G()); o.to('paid'); o.cancel('late')
n = Order(8, 5, G()); n.cancel('oops')
print(o.state, o.cancel_reason, n.state, G.calls)
s = Order(9, 1, G()); s.to('paid'); s.to('shipped')
try: s.cancel('x')
except ValueError: print('no', s.state)
"""
    assert said(code) == "cancelled late cancelled [(7, 30)]\nno shipped"
