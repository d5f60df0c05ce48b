import { factorTexts } from '../text/factor-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { CopyButton } from './copy-button.tsx'
import dialogs from './dialog.module.css'
import { QrCode } from './qr-code.tsx'

/** A new second factor for the user's app: a code to scan, and the same as a key to type. */
export function FactorQr({ factor: { secret, uri } }: { factor: { secret: string; uri: string } }) {
  const texts = useTexts(factorTexts)
  return (
    <>
      <p>{texts.scan}</p>
      <QrCode text={uri} label={texts.qrCode} />
      <p>
        {texts.secret} <code className={dialogs.secret}>{secret}</code>
      </p>
      <div>
        <CopyButton text={secret} />
      </div>
    </>
  )
}
