import { formatMoment } from '@cobro/look/formats'
import { useLocale } from '../text/locale.tsx'

/** A moment in the merchant's time zone; the pointer shows it in UTC. */
export function Moment({ at, timeZone }: { at: string; timeZone: string }) {
  const { locale } = useLocale()
  return (
    <time dateTime={at} title={at}>
      {formatMoment(at, locale, timeZone)}
    </time>
  )
}
