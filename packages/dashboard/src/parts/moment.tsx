import { formatMoment } from '@cobro/look/formats'
import { useLocale } from '../text/locale.tsx'

interface MomentProps {
  at: string | number
  timeZone: string
  /** Whether seconds matter, as where several things happen within a minute. */
  hasSeconds?: boolean
}

/** A moment in the merchant's time zone; the pointer shows it in UTC. */
export function Moment({ at, timeZone, hasSeconds = false }: MomentProps) {
  const { locale } = useLocale()
  const utc = new Date(at).toISOString()
  return (
    <time dateTime={utc} title={utc}>
      {formatMoment(at, locale, timeZone, hasSeconds ? 'medium' : 'short')}
    </time>
  )
}
