import type { ComponentProps } from 'react'
import { FieldError, Input, Label, TextField } from 'react-aria-components'
import styles from './field.module.css'

interface FieldProps extends Omit<ComponentProps<typeof TextField>, 'className'> {
  label: string
  placeholder?: string
}

/** A labelled text field, with the browser's message where it is not valid. */
export function Field({ label, placeholder, ...field }: FieldProps) {
  return (
    <TextField {...field} className={styles.field}>
      <Label>{label}</Label>
      <Input {...(placeholder === undefined ? {} : { placeholder })} />
      <FieldError />
    </TextField>
  )
}
