import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import dialogs from '../parts/dialog.module.css'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { AllSections } from './all-sections.tsx'
import { CallsDrawer } from './calls-drawer.tsx'
import { HelpDialog } from './help-dialog.tsx'
import type { OverlayName, OverlayProps } from './overlay-name.ts'
import styles from './overlays.module.css'
import { Palette } from './palette.tsx'
import { ScopeSwitcher } from './scope-switcher.tsx'

/** What opens above all screens, in a file of its own: the first screen does not wait for it. */
export function Overlays({ name, show }: OverlayProps) {
  const close = () => show(undefined)
  const showCalls = () => show('calls')
  const label = useLabel(name)
  return (
    <ModalOverlay className={dialogs.backdrop} isOpen onOpenChange={isOpen => isOpen || close()} isDismissable>
      <Modal className={name === 'calls' ? styles.drawer : dialogs.modal} data-name={name}>
        <Dialog {...(label && { 'aria-label': label })}>
          {name === 'palette' && <Palette close={close} />}
          {name === 'merchants' && <ScopeSwitcher close={close} />}
          {name === 'help' && <HelpDialog close={close} showCalls={showCalls} />}
          {name === 'calls' && <CallsDrawer close={close} />}
          {name === 'sections' && <AllSections close={close} showCalls={showCalls} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Returns the name of a dialog that has no heading. */
function useLabel(name: OverlayName): string | undefined {
  const texts = useTexts(shellTexts)
  return { palette: texts.find, merchants: texts.merchant, help: undefined, calls: undefined, sections: undefined }[
    name
  ]
}
