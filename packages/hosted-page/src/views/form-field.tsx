import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from 'preact'
import type { FieldName } from '../cards/card-checks.ts'
import type { TypedText } from '../cards/card-input.ts'
import type { PageProps } from './page-props.ts'

type Passed = Pick<InputHTMLAttributes, 'inputMode' | 'autocomplete' | 'autocapitalize' | 'spellcheck' | 'placeholder'>

interface FieldProps extends PageProps, Passed {
  name: FieldName
  /** Shapes what is typed, and says where the caret goes. */
  shape?: (text: string, caret: number) => TypedText
  hint?: string | undefined
  /** For a hint that is drawn as a mark and needs words for screen readers alone. */
  hintHidden?: boolean
  mark?: ComponentChildren
  optional?: boolean
}

/** A labelled input with its hint or fault below, in a line that is kept free so that nothing moves when it appears. */
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

/** Where the receipt goes, if anywhere. */
export function EmailField(props: PageProps) {
  return <FormField {...props} name="email" autocomplete="email" inputMode="email" optional />
}

/**
 * The caret is set before the state changes: setting the same value again leaves it where it is. Where autofill writes
 * into a field without the focus, Safari would move the focus along with the caret.
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
