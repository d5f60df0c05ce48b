import { formatMoment } from '@cobro/look/formats'
import { useLocale } from '../text/locale.tsx'

/** A moment in the merchant's time zone; the pointer shows it in UTC. */
export function Moment({ at, timeZone }: { at: string | number; timeZone: string }) {
  const { locale } = useLocale()
  const utc = new Date(at).toISOString()
  return (
    <time dateTime={utc} title={utc}>
      {formatMoment(at, locale, timeZone)}
    </time>
  )
}
