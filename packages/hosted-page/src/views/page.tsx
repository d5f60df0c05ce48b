import { isCutOff, screenOf } from '../state/page-state.ts'
import { Lock } from './icons.tsx'
import { OrderSummary } from './order-summary.tsx'
import { Outcome } from './outcome.tsx'
import type { PageProps, SessionProps } from './page-props.ts'
import { Blocked, Processing } from './pause-views.tsx'
import { PaymentForm } from './payment-form.tsx'
import { VoucherView } from './voucher-view.tsx'

/** The whole page. `data-screen` names the screen for tests. */
export function Page(props: PageProps) {
  const { state, text } = props
  const screen = screenOf(state)
  const open = screen === 'form' || screen === 'processing' || screen === 'voucher' || screen === 'blocked'
  return (
    <div class="page" data-screen={screen}>
      {open && state.session ? (
        <main class="columns">
          <OrderSummary {...props} session={state.session} />
          <div class="panel form-panel">
            <Panel {...props} session={state.session} />
          </div>
        </main>
      ) : (
        <main class="single">{!open && screen !== 'loading' && <Outcome {...props} screen={screen} />}</main>
      )}
      <footer class="footer">
        <Lock /> Cobro
      </footer>
      {isCutOff(state) && <p class="cut-off">{text.offline}</p>}
    </div>
  )
}

function Panel(props: SessionProps) {
  const { voucher } = props.session
  const screen = screenOf(props.state)
  if (screen === 'processing') return <Processing {...props} />
  if (screen === 'blocked') return <Blocked {...props} />
  return screen === 'voucher' && voucher ? <VoucherView {...props} voucher={voucher} /> : <PaymentForm {...props} />
}
