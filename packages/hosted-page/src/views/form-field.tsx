import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from 'preact'
import type { FieldName } from '../cards/card-checks.ts'
import type { TypedText } from '../cards/card-input.ts'
import type { PageProps } from './page-props.ts'

type Passed = Pick<InputHTMLAttributes, 'inputMode' | 'autocomplete' | 'autocapitalize' | 'spellcheck' | 'placeholder'>

interface FieldProps extends PageProps, Passed {
  name: FieldName
  /** Formats the typed text and returns the caret's position. */
  shape?: (text: string, caret: number) => TypedText
  hint?: string | undefined
  /** The hint is shown as an icon; its text is for screen readers only. */
  hintHidden?: boolean
  mark?: ComponentChildren
  optional?: boolean
}

/** A labelled input. Its hint or error appears below in a reserved line, so that nothing moves. */
export function FormField(props: FieldProps) {
  const { state, text, actions, name, shape, hint, hintHidden, mark, optional, ...rest } = props
  const { inputMode, autocomplete, autocapitalize, spellcheck, placeholder } = rest
  const fault = state.faults[name]
  const noteId = `${name}-note`
  return (
    <div class="field">
      <label for={name}>{text.fields[name]}</label>
      <div class="field-box">
        <input
          {...{ inputMode, autocomplete, autocapitalize, spellcheck, placeholder }}
          id={name}
          value={state.fields[name]}
          readOnly={state.activity !== 'idle'}
          required={!optional}
          aria-invalid={fault !== undefined}
          aria-describedby={fault || hint ? noteId : undefined}
          onInput={event => actions.type(name, shapeInput(event, shape))}
          onBlur={() => actions.leave(name)}
        />
        {mark}
      </div>
      <p id={noteId} class={fault ? 'field-note field-fault' : 'field-note'}>
        {fault ? text.faults[fault] : <span class={hintHidden ? 'visually-hidden' : undefined}>{hint}</span>}
      </p>
    </div>
  )
}

/** The optional e-mail address for the receipt. */
export function EmailField(props: PageProps) {
  return <FormField {...props} name="email" autocomplete="email" inputMode="email" optional />
}

/**
 * Sets the caret before the state changes: setting the same value again then leaves it in place.
 * Only does so in a focused field: in Safari, setting the caret of a field that autofill changed would move the focus.
 */
function shapeInput({ currentTarget: input }: TargetedEvent<HTMLInputElement>, shape: FieldProps['shape']): string {
  if (!shape) return input.value
  const { value, caret } = shape(input.value, input.selectionStart ?? input.value.length)
  if (value !== input.value) {
    input.value = value
    if (input === document.activeElement) input.setSelectionRange(caret, caret)
  }
  return value
}
