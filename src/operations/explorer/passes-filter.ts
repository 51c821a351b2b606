/**
 * SQL: whether an event passes a filter, as an emit judges it.
 *
 * @param event the name of a row with `event_type`, `body` and `previous`
 * @param filter a jsonpath; `comparisons` and `asks` are about it: how many, and whether it asks what has changed
 */
export const passesSql = (event: string, filter: string, comparisons: string, asks: string): string => `
  case when ${asks} and ${event}.previous is not null
    then (select c.change is null or hookwright.meets_filter(b.body, ${filter}, ${event}.event_type, c.change)
          from (select hookwright.readable_body(${event}.body, ${comparisons}) as body) b
          cross join lateral (
            select hookwright.filter_change(${event}.previous, b.body, ${comparisons}) as change offset 0) c)
    else hookwright.passes_filter(hookwright.readable_body(${event}.body, ${comparisons}), ${filter},
                                  ${event}.event_type) end`;
