import { useEffect, useRef } from 'react'
import { linksTexts } from '../../text/links-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import styles from './link-preview.module.css'

interface LinkPreviewProps {
  merchantName: string
  amountCents: number
  currency: string
  concepto: string
}

/** The payer's page, as the link that is being typed would show it. */
export function LinkPreview({ merchantName, amountCents, currency, concepto }: LinkPreviewProps) {
  const texts = useTexts(linksTexts)
  const { locale } = useLocale()
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const show = () =>
      frame.current?.contentWindow?.postMessage(
        { merchant_name: merchantName, amount_cents: amountCents, currency, concepto, locale },
        location.origin,
      )
    // The frame says when it listens.
    const answer = ({ origin, source }: MessageEvent) =>
      origin === location.origin && source === frame.current?.contentWindow && show()
    addEventListener('message', answer)
    show()
    return () => removeEventListener('message', answer)
  }, [merchantName, amountCents, currency, concepto, locale])
  return (
    <div className={styles.preview}>
      <p>{texts.preview}</p>
      <div className={styles.screen}>
        <iframe ref={frame} src="/dashboard/preview" title={texts.preview} tabIndex={-1} />
      </div>
    </div>
  )
}
