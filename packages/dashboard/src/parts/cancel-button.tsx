import { changing } from '../api/cobro.ts'
import { ActionForm } from './action-form.tsx'
import { DialogButton } from './dialog-button.tsx'

interface CancelButtonProps {
  /** `submit` is the button, which names what it ends. */
  texts: { title: string; text: string; submit: string; failed: string }
  /** The merchant of what it ends. */
  merchantId: string
  cancel: () => PromiseLike<unknown>
  /** The keys in the cache of what is then another. */
  changed: readonly (readonly string[])[]
}

/** Cancels or deletes something, once the user has confirmed it. */
export function CancelButton({ texts, merchantId, cancel, changed }: CancelButtonProps) {
  const work = async (close: () => void) => {
    await changing(changed, cancel)
    close()
  }
  return (
    <DialogButton label={texts.submit} tone="danger">
      {close => <ActionForm texts={texts} merchantId={merchantId} work={() => work(close)} close={close} />}
    </DialogButton>
  )
}
