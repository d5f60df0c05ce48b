import type { Sucursal, Terminal } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Heading } from 'react-aria-components'
import { changing, cobroOf } from '../../api/cobro.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { Loading } from '../../parts/loading.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { Failed } from '../../parts/states.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface LinkTerminalFormProps {
  branch: Sucursal
  scope: string
  close: () => void
}

/** Links one of the merchant's other terminals to a branch. */
export function LinkTerminalForm({ branch, scope, close }: LinkTerminalFormProps) {
  const { terminals: texts } = useTexts(branchesTexts)
  const { data, error, refetch } = useQuery({
    queryKey: [scope, 'terminals', 'all'],
    queryFn: ({ signal }) =>
      cobroOf(scope).terminales.list({ order: 'name', dir: 'asc', limit: 200, count: 'none' }, { signal }),
  })
  const others = data?.data.filter(
    ({ sucursal_id, merchant_id }) => sucursal_id !== branch.id && merchant_id === branch.merchant_id,
  )
  if (others?.[0]) return <Chooser others={others} first={others[0]} {...{ branch, scope, close }} />
  return (
    <>
      <Heading slot="title">{texts.link}</Heading>
      {others ? (
        <p>{texts.linkNone}</p>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Loading rows={2} />
      )}
    </>
  )
}

interface ChooserProps extends LinkTerminalFormProps {
  others: readonly Terminal[]
  first: Terminal
}

function Chooser({ others, first, branch, scope, close }: ChooserProps) {
  const { failed, terminals: texts } = useTexts(branchesTexts)
  const [id, setId] = useState(first.id)
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const chosen = others.find(terminal => terminal.id === id) ?? first
  const link = async () => {
    await changing([[scope, 'terminals']], () =>
      cobroOf(scope).terminales.link(chosen.id, { sucursal_id: branch.id }, { idempotencyKey }),
    )
    close()
  }
  const words = others.map(({ id, name, serial, sucursal_id }) => {
    const word = `${name} · ${serial}`
    return [id, sucursal_id === null ? word : texts.elsewhere(word)]
  })
  return (
    <ConfirmedForm
      texts={{ title: texts.link, submit: texts.linkConfirm(chosen.name), failed }}
      work={link}
      close={close}
      merchantId={branch.merchant_id}
    >
      {isUnclear => (
        <>
          <SelectField
            label={texts.one}
            words={Object.fromEntries(words)}
            isDisabled={isUnclear}
            value={chosen.id}
            choose={setId}
          />
          {chosen.sucursal_id !== null && <p>{texts.linkText}</p>}
        </>
      )}
    </ConfirmedForm>
  )
}
