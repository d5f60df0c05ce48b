const timeZone = 'America/Mexico_City'
const daysToPay = 3

const localTime = new Intl.DateTimeFormat('en-US', {
  timeZone,
  hourCycle: 'h23',
  ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
})

/** Until when a voucher that is issued now may be paid: 23:59 of the third day from then, by the clocks of Mexico City. */
export function voucherDue(issuedAt: Date): Date {
  const { year, month, day } = onTheClock(issuedAt)
  const wanted = Date.UTC(year, month - 1, day + daysToPay, 23, 59)
  // The zone's distance from UTC is that of the very day, whatever the country decides about summers.
  const shown = onTheClock(new Date(wanted))
  const distanceMs = Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute) - wanted
  return new Date(wanted - distanceMs)
}

function onTheClock(time: Date): Record<'year' | 'month' | 'day' | 'hour' | 'minute', number> {
  const parts = localTime.formatToParts(time).map(({ type, value }) => [type, Number(value)])
  return Object.fromEntries(parts)
}
