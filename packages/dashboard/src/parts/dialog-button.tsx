import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, Dialog, DialogTrigger, Modal, ModalOverlay } from 'react-aria-components'
import { useShortcut } from '../keys/use-shortcut.ts'
import buttons from './buttons.module.css'
import dialogs from './dialog.module.css'
import { KeepOpen } from './kept-open.tsx'
import { UnavailableButton } from './unavailable-button.tsx'

interface DialogButtonProps {
  label: string
  tone: 'plain' | 'primary' | 'danger'
  /** Whether a press beside the dialog, or Escape, closes it. Not where it shows something once. */
  isDismissable?: boolean
  /** Whether there is something beside its fields. */
  isWide?: boolean
  /** The keys that open it. */
  shortcut?: string
  /** Why it cannot be opened now. A dialog that is open stays. */
  unavailable?: string | undefined
  /** The name by which an address asks for it. */
  name?: string
  children: (close: () => void) => ReactNode
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, tone, isDismissable = true, isWide, shortcut, unavailable, name, children } = props
  const [isOpen, setOpen] = useState(false)
  const [isKept, keep] = useState(false)
  const mayDismiss = isDismissable && !isKept
  const isAvailable = unavailable === undefined
  useShortcut(shortcut ?? '', shortcut !== undefined && isAvailable ? () => setOpen(true) : undefined)
  useAskedFor(name, () => setOpen(true))
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      {isAvailable ? (
        <Button className={buttons[tone]}>{label}</Button>
      ) : (
        <UnavailableButton label={label} reason={unavailable} />
      )}
      <ModalOverlay className={dialogs.backdrop} isDismissable={mayDismiss} isKeyboardDismissDisabled={!mayDismiss}>
        <Modal className={dialogs.modal} data-wide={isWide}>
          <Dialog>{({ close }) => <KeepOpen value={keep}>{children(close)}</KeepOpen>}</Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}

/** Opens a dialog that an address asks for, once: it does not open again by a reload. */
function useAskedFor(name: string | undefined, open: () => void): void {
  const { opens } = useLocation().state
  const navigate = useNavigate()
  const isAsked = name !== undefined && opens === name
  useEffect(() => {
    if (!isAsked) return
    open()
    void navigate({ to: '.', search: true, replace: true, state: {} })
  })
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The name of the dialog to open. */
    opens?: string
  }
}
