import type { SessionProps } from './page-props.ts'

const dialogId = 'cancel-dialog'

/** Asks before a payment is given up, since that cannot be taken back. */
export function CancelDialog({ text, session, actions }: SessionProps) {
  return (
    <dialog id={dialogId} class="dialog" aria-labelledby="cancel-title" aria-describedby="cancel-text">
      <form method="dialog">
        <h2 id="cancel-title">{text.cancelTitle}</h2>
        <p id="cancel-text">{text.cancelText(session.merchant_name)}</p>
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

/** Opens the dialog; the browser keeps the focus in it and closes it on Escape. */
export function openCancelDialog(): void {
  const dialog = document.getElementById(dialogId)
  if (dialog instanceof HTMLDialogElement) dialog.showModal()
}
