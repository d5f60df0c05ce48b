import { useState } from 'react'
import { cobro } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { ActionForm } from '../../parts/action-form.tsx'
import detail from '../../parts/detail.module.css'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { type Action, accountTexts } from '../../text/account-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import styles from './account.module.css'
import { ChangePasswordForm } from './change-password-form.tsx'

/** Changes the user's password, also by a link for those who have forgotten it, and ends the logins that it has elsewhere. */
export function OwnLoginsPanel({ email }: { email: string }) {
  const texts = useTexts(accountTexts)
  const { me, may } = useMe()
  const [done, setDone] = useState('')
  const action = (act: Action, work: () => Promise<unknown>) => (close: () => void) => (
    <ActionForm
      texts={{ ...act, title: act.submit }}
      isHarmless={act === texts.sendLink}
      work={async () => {
        await work()
        close()
        setDone(act.done)
      }}
      close={close}
    />
  )
  const { sendLink, endOthers } = texts
  return (
    <section className={detail.panel} aria-label={texts.logins}>
      <h2>{texts.logins}</h2>
      <p>{texts.loginsText}</p>
      <div className={styles.buttons}>
        {may('changePassword') && (
          <DialogButton label={texts.changePassword} tone="plain">
            {close => <ChangePasswordForm email={email} done={() => setDone(texts.passwordChanged)} close={close} />}
          </DialogButton>
        )}
        {me?.features.includes('mail') && (
          <DialogButton label={sendLink.submit} tone="plain">
            {action(sendLink, () => cobro.auth.resetPassword({ email }))}
          </DialogButton>
        )}
        {may('endOtherLogins') && (
          <DialogButton label={endOthers.submit} tone="danger">
            {action(endOthers, () => cobro.auth.endOtherLogins())}
          </DialogButton>
        )}
      </div>
      <p role="status">{done}</p>
    </section>
  )
}
