from ask import said


def test_strict():
    code = """
from orders.order import Order
from orders.states import TransitionError
o = Order(1, 2)
try: o.to('delivered')
except ValueError as e: print(type(e).__name__, 'new' in str(e), 'delivered' in str(e), o.history)
print(Order(1, 2, strict=False).to('delivered'))
try: Order(1, 2, strict=False).to('lost')
except TransitionError: print('unknown')
print(o.to('paid'))
"""
    assert said(code) == "TransitionError True True ['new']\nnew\nunknown\npaid"
