/** SQL for the balance of an account over rows of a table aliased `entry`: credits minus debits. */
export function balanceSql(account: string, event?: string): string {
  const filter = event ? ` filter (where entry.event = '${event}')` : ''
  return `coalesce(sum(case '${account}' when entry.credit then entry.amount_cents
    when entry.debit then -entry.amount_cents else 0 end)${filter}, 0)`
}
