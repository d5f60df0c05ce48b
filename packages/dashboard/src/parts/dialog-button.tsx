import type { ReactNode } from 'react'
import { Button, Dialog, DialogTrigger, Modal, ModalOverlay } from 'react-aria-components'
import buttons from './buttons.module.css'
import dialogs from './dialog.module.css'

interface DialogButtonProps {
  label: string
  tone: 'plain' | 'primary' | 'danger'
  /** Whether a press beside the dialog, or Escape, closes it. Not where it shows something once. */
  isDismissable?: boolean
  children: (close: () => void) => ReactNode
}

/** A button that opens a dialog. */
export function DialogButton({ label, tone, isDismissable = true, children }: DialogButtonProps) {
  return (
    <DialogTrigger>
      <Button className={buttons[tone]}>{label}</Button>
      <ModalOverlay
        className={dialogs.backdrop}
        isDismissable={isDismissable}
        isKeyboardDismissDisabled={!isDismissable}
      >
        <Modal className={dialogs.modal}>
          <Dialog>{({ close }) => children(close)}</Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}
