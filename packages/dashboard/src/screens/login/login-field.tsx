import { type ComponentProps, useId } from 'react'
import styles from '../../parts/field.module.css'

interface LoginFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'onChange'> {
  label: string
  onChange: (value: string) => void
}

/** A labelled text field of the browser itself. The `Field` of other screens would load its library before the login is seen. */
export function LoginField({ label, onChange, ...input }: LoginFieldProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input {...input} id={id} required onChange={event => onChange(event.target.value)} />
    </div>
  )
}
