import type { SessionProps } from './page-props.ts'

const dialogId = 'cancel-dialog'

/** Lets the payer cancel a session, which was opened for them. A link may have other payers. */
export function CancelButton(props: SessionProps) {
  const { state, text, session } = props
  const busy = state.activity !== 'idle'
  if (session.kind !== 'session') return null
  return (
    <>
      <button type="button" class="quiet-button" aria-disabled={busy} onClick={() => busy || openCancelDialog()}>
        {text.cancel}
      </button>
      <CancelDialog {...props} />
    </>
  )
}

/** Asks for confirmation, since a cancel is final. */
function CancelDialog({ text, session, actions }: SessionProps) {
  return (
    <dialog id={dialogId} class="dialog" aria-labelledby="cancel-title" aria-describedby="cancel-text">
      <form method="dialog">
        <h2 id="cancel-title">{text.cancelTitle}</h2>
        <p id="cancel-text">
          {text.cancelText} {session.cancel_url && text.cancelReturns(session.merchant_name)}{' '}
          {session.voucher && text.cancelVoucher}
        </p>
        <div class="dialog-buttons">
          <button type="submit" class="plain-button" autofocus>
            {text.cancelKeep}
          </button>
          <button type="submit" class="danger-button" onClick={actions.cancel}>
            {text.cancelConfirm}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** Opens the dialog as modal: the browser keeps the focus inside and closes it on Escape. */
function openCancelDialog(): void {
  const dialog = document.getElementById(dialogId)
  if (dialog instanceof HTMLDialogElement) dialog.showModal()
}
