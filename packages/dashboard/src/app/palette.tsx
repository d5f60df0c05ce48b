import { useNavigate } from '@tanstack/react-router'
import { Search as SearchIcon } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button, Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { destinationOf } from '../address/destination.ts'
import { cobroOf } from '../api/cobro.ts'
import dialogs from '../parts/dialog.module.css'
import { Field } from '../parts/field.tsx'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './shell.module.css'

/** Finds a payment, link or delivery from anywhere, by Ctrl+K or ⌘K: paste, Enter. */
export function Palette({ scope }: { scope: string }) {
  const texts = useTexts(shellTexts)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <Button className={styles.find} onPress={() => setOpen(true)}>
        <SearchIcon aria-hidden size={16} />
        <span>{texts.find}</span>
        <kbd>Ctrl K</kbd>
      </Button>
      <ModalOverlay className={dialogs.backdrop} isOpen={isOpen} onOpenChange={setOpen} isDismissable>
        <Modal className={dialogs.modal}>
          <Dialog aria-label={texts.find}>
            <Finder scope={scope} close={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  )
}

function Finder({ scope, close }: { scope: string; close: () => void }) {
  const texts = useTexts(shellTexts)
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const find = async (event: FormEvent) => {
    event.preventDefault()
    const destination = destinationOf(text)
    if (!destination) return
    const { to } = destination
    if (to !== '/$scope/payments') await navigate({ to, params: { scope, id: destination.id } })
    else {
      const id = await onlyPayment(scope, destination.search)
      if (id) await navigate({ to: '/$scope/payments/$id', params: { scope, id } })
      else await navigate({ to, params: { scope }, search: { search: destination.search } })
    }
    close()
  }
  return (
    <form onSubmit={event => void find(event)}>
      <Field
        label={texts.find}
        placeholder={texts.findHint}
        autoFocus
        maxLength={200}
        value={text}
        onChange={setText}
      />
    </form>
  )
}

/** Returns the payment that a text finds if it is the only one. A failure is shown by the list, which asks again. */
async function onlyPayment(scope: string, search: string): Promise<string | undefined> {
  const found = await cobroOf(scope)
    .transactions.list({ search, limit: 2, count: 'none' })
    .catch(() => undefined)
  return found?.data.length === 1 ? found.data[0]?.id : undefined
}
