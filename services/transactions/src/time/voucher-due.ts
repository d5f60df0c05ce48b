const timeZone = 'America/Mexico_City'
const daysToPay = 3

const localTime = new Intl.DateTimeFormat('en-US', {
  timeZone,
  hourCycle: 'h23',
  ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
})

/** Returns when a voucher issued now is due: in three days at 23:59, Mexico City time. */
export function voucherDue(issuedAt: Date): Date {
  const { year, month, day } = localPartsOf(issuedAt)
  const wanted = Date.UTC(year, month - 1, day + daysToPay, 23, 59)
  // The offset from UTC is taken on the due date itself, so a change to or from daylight saving time is accounted for.
  const shown = localPartsOf(new Date(wanted))
  const offsetMs = Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute) - wanted
  return new Date(wanted - offsetMs)
}

function localPartsOf(time: Date): Record<'year' | 'month' | 'day' | 'hour' | 'minute', number> {
  const parts = localTime.formatToParts(time).map(({ type, value }) => [type, Number(value)])
  return Object.fromEntries(parts)
}
