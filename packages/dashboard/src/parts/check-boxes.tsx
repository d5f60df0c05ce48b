import type { ReactNode } from 'react'
import dialogs from './dialog.module.css'

interface CheckBoxesProps<Value extends string> {
  label: string
  values: readonly Value[]
  wordOf: (value: Value) => ReactNode
  chosen: readonly Value[]
  isDisabled: boolean
  choose: (chosen: readonly Value[]) => void
  /** Why the form cannot be sent with this choice, if it cannot. */
  problem?: string | false
  /** Whether the words are long. */
  isWide?: boolean
}

/** A labelled choice of several values. */
export function CheckBoxes<Value extends string>({ label, values, wordOf, ...field }: CheckBoxesProps<Value>) {
  const { chosen, isDisabled, choose, problem, isWide } = field
  const toggle = (value: Value) =>
    choose(chosen.includes(value) ? chosen.filter(one => one !== value) : [...chosen, value])
  // The browser says it at the first box, as it does at a field that is required.
  const say = (input: HTMLInputElement | null) => input?.setCustomValidity(problem || '')
  return (
    <fieldset className={dialogs.choices} data-wide={isWide}>
      <legend>{label}</legend>
      {values.map((value, at) => (
        <label key={value}>
          <input
            ref={at === 0 ? say : undefined}
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={isDisabled}
            onChange={() => toggle(value)}
          />
          <span>{wordOf(value)}</span>
        </label>
      ))}
    </fieldset>
  )
}
