import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from 'react-aria-components'
import { destinationOf, targetOf } from '../address/destination.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'
import { Field } from './field.tsx'
import styles from './states.module.css'

/** Finds payments by a text, or the object of an id. */
export function FindForm({ scope }: { scope: string }) {
  const texts = useTexts(shellTexts)
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const find = (event: FormEvent) => {
    event.preventDefault()
    const found = destinationOf(text)
    if (found) void navigate(targetOf(found, scope))
  }
  return (
    <search>
      <form className={styles.find} onSubmit={find}>
        <Field label={texts.find} placeholder={texts.findHint} maxLength={200} value={text} onChange={setText} />
        <Button type="submit" className={buttons.plain}>
          {texts.find}
        </Button>
      </form>
    </search>
  )
}
