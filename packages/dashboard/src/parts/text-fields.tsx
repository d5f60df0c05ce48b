import { Field } from './field.tsx'

interface TextFieldsProps<Name extends string> {
  /** The fields, each with how long its text may be. The first gets the focus. */
  lengths: Readonly<Record<Name, number>>
  labels: Readonly<Record<Name, string>>
  required: readonly Name[]
  isDisabled: boolean
  values: Readonly<Record<Name, string>>
  change: (values: Partial<Record<Name, string>>) => void
}

/** The fields of a form that have texts. */
export function TextFields<Name extends string>({ lengths, labels, ...form }: TextFieldsProps<Name>) {
  const { required, isDisabled, values, change } = form
  return (Object.keys(lengths) as Name[]).map((name, index) => (
    <Field
      key={name}
      label={labels[name]}
      isRequired={required.includes(name)}
      autoFocus={index === 0}
      isDisabled={isDisabled}
      maxLength={lengths[name]}
      value={values[name]}
      onChange={value => change({ [name]: value } as Partial<Record<Name, string>>)}
    />
  ))
}
