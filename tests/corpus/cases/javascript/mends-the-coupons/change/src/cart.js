// What a basket costs, in cents.
export const COUPONS = { TEN: 10, QUARTER: 25 };

export function subtotal(items) {
  return items.reduce((sum, { price, count }) => sum + price * count, 0);
}

export function total(items, coupon) {
  const price = subtotal(items);
  if (!(coupon in COUPONS)) return price;
  return Math.floor((price * (100 - COUPONS[coupon])) / 100);
}
