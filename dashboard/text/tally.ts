/** How often each value is there, in the order given; values that are not there are left out. */
export function tally<Value>(order: readonly Value[], values: readonly Value[]): { value: Value; times: number }[] {
  return order
    .map((value) => ({ value, times: values.filter((one) => one === value).length }))
    .filter(({ times }) => times > 0);
}
