import type { Metadata } from '@cobro/sdk/admin'
import { useState } from 'react'
import { changing } from '../api/cobro.ts'
import { renewLifecycle } from '../api/use-lifecycle.ts'
import { changedTexts, metadataOf, type TextChanges } from '../input/changes.ts'
import { editTexts } from '../text/edit-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { ConfirmedForm } from './confirmed-form.tsx'
import { DialogButton } from './dialog-button.tsx'
import { JsonField } from './json-field.tsx'
import { TextFields } from './text-fields.tsx'

interface EditProps<Name extends string> {
  /** The scope and the name of the object in the cache. */
  cached: readonly [scope: string, name: string]
  /** Its merchant. */
  merchantId: string
  /** Its fields with texts, each with how long its text may be. */
  lengths: Readonly<Record<Name, number>>
  labels: Readonly<Record<NoInfer<Name>, string>>
  /** Those that cannot be empty. */
  required?: readonly NoInfer<Name>[]
  /** What is stored. */
  stored: Readonly<Partial<Record<NoInfer<Name>, string | null | undefined>>>
  metadata: Metadata | null
  /** Stores what was changed. */
  save: (texts: TextChanges<NoInfer<Name>>, rest: { metadata?: Metadata | null }) => PromiseLike<unknown>
}

/** A button that opens the fields of an object that may be changed. */
export function EditButton<Name extends string>(props: EditProps<Name>) {
  const texts = useTexts(editTexts)
  return (
    <DialogButton label={texts.edit} tone="plain">
      {close => <EditForm {...props} close={close} />}
    </DialogButton>
  )
}

function EditForm<Name extends string>({ save, close, ...edit }: EditProps<Name> & { close: () => void }) {
  const texts = useTexts(editTexts)
  // What is read meanwhile was changed by others, and stays.
  const [{ stored, metadata: metadataBefore }] = useState(edit)
  const { cached, merchantId, lengths, labels, required = [] } = edit
  const [metadata, setMetadata] = useState(() => (metadataBefore ? JSON.stringify(metadataBefore, null, 2) : ''))
  const [values, setValues] = useState(() => textsOf(lengths, stored))
  const change = async () => {
    const isSame = JSON.stringify(metadataOf(metadata)) === JSON.stringify(metadataBefore)
    try {
      await changing([cached], () =>
        save(changedTexts(textsOf(lengths, stored), values), isSame ? {} : { metadata: metadataOf(metadata) ?? null }),
      )
      close()
    } finally {
      void renewLifecycle(cached[0])
    }
  }
  return (
    <ConfirmedForm
      texts={{ title: texts.edit, submit: texts.save, failed: texts.failed }}
      work={change}
      close={close}
      merchantId={merchantId}
    >
      {isUnclear => (
        <>
          <TextFields
            lengths={lengths}
            labels={labels}
            required={required}
            isDisabled={isUnclear}
            values={values}
            change={changes => setValues({ ...values, ...changes })}
          />
          <JsonField label={texts.metadata} isDisabled={isUnclear} value={metadata} onChange={setMetadata} />
        </>
      )}
    </ConfirmedForm>
  )
}

function textsOf<Name extends string>(
  lengths: Readonly<Record<Name, number>>,
  stored: Readonly<Partial<Record<Name, string | null | undefined>>>,
): Record<Name, string> {
  const names = Object.keys(lengths) as Name[]
  return Object.fromEntries(names.map(name => [name, stored[name] ?? ''])) as Record<Name, string>
}
