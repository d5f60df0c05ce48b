import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

interface EndpointUrlFieldProps {
  value: string
  isDisabled: boolean
  onChange: (url: string) => void
}

/** The address of an endpoint, with which its forms begin. */
export function EndpointUrlField(field: EndpointUrlFieldProps) {
  const { url, urlHint } = useTexts(webhooksTexts)
  return <Field {...field} label={url} type="url" placeholder={urlHint} isRequired autoFocus maxLength={2048} />
}
