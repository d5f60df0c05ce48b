import type { Sucursal } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import detail from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { branchesTexts } from '../../text/branches-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { BranchForm } from './branch-form.tsx'
import { BranchTerminals } from './branch-terminals.tsx'

/** A branch: where it is, and its terminals. */
export function BranchScreen(): ReactNode {
  const texts = useTexts(branchesTexts)
  const { scope, may } = useMe()
  return (
    <DetailScreen
      name="branch"
      needs="getSucursal"
      list={{ to: '/$scope/branches', title: texts.title }}
      read={(id, signal) => cobroOf(scope).sucursales.retrieve(id, { signal })}
      refreshEveryMs={() => false}
    >
      {branch => (
        <>
          <header className={detail.head}>
            <h1>{branch.name}</h1>
            <StatusBadge status={branch.status} word={texts.statuses[branch.status]} />
            <p className={detail.sentence}>{branch.status === 'active' ? texts.inUse : texts.notInUse}</p>
          </header>
          {may('updateSucursal') && (
            <DialogButton label={texts.edit} tone="plain">
              {close => <BranchForm branch={branch} scope={scope} close={close} />}
            </DialogButton>
          )}
          <div className={detail.columns}>
            {may('listTerminales') && <BranchTerminals branch={branch} scope={scope} />}
            <section className={detail.panel}>
              <BranchFacts branch={branch} />
            </section>
          </div>
        </>
      )}
    </DetailScreen>
  )
}

function BranchFacts({ branch: { id, address, phone, created_at } }: { branch: Sucursal }) {
  const texts = useTexts(branchesTexts)
  const { timeZone } = useMe()
  const { names } = texts
  return (
    <Facts
      facts={[
        [names.street, address?.street],
        [names.city, address?.city],
        [names.state, address?.state],
        [names.postal_code, address?.postal_code],
        [texts.country, address?.country],
        [names.phone, phone],
        [texts.created, <Moment key="created" at={created_at} timeZone={timeZone} />],
        ['Id', <code key="id">{id}</code>],
      ]}
    />
  )
}
