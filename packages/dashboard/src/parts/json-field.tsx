import { FieldError, Label, TextArea, TextField } from 'react-aria-components'
import { metadataOf } from '../input/changes.ts'
import { editTexts } from '../text/edit-texts.ts'
import { useTexts } from '../text/locale.tsx'
import styles from './field.module.css'

interface JsonFieldProps {
  label: string
  isDisabled: boolean
  value: string
  onChange: (value: string) => void
}

/** A field for a JSON object, or nothing. */
export function JsonField({ label, ...field }: JsonFieldProps) {
  const texts = useTexts(editTexts)
  return (
    <TextField
      {...field}
      className={styles.field}
      validate={text => (metadataOf(text) === undefined ? texts.invalidJson : null)}
    >
      <Label>{label}</Label>
      <TextArea rows={5} spellCheck={false} />
      <FieldError />
    </TextField>
  )
}
