import { useId } from 'react'
import styles from './field.module.css'

interface SelectFieldProps<Value extends string> {
  label: string
  value: Value
  /** The values, with the words for them. */
  words: Readonly<Record<Value, string>>
  isDisabled?: boolean
  choose: (value: Value) => void
  /** Why the form cannot be sent with this choice, if it cannot. */
  problem?: string | false
}

/** A labelled choice of one value. */
export function SelectField<Value extends string>({ label, words, ...field }: SelectFieldProps<Value>) {
  const { value, isDisabled = false, choose, problem } = field
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select
        ref={select => select?.setCustomValidity(problem || '')}
        id={id}
        value={value}
        disabled={isDisabled}
        onChange={event => choose(event.target.value as Value)}
      >
        {Object.entries<string>(words).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </div>
  )
}
