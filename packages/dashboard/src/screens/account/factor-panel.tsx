import { useQuery } from '@tanstack/react-query'
import { cobro } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { DialogButton } from '../../parts/dialog-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { factorTexts } from '../../text/factor-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { RemoveFactorForm } from './remove-factor-form.tsx'
import { SetUpFactor } from './set-up-factor.tsx'

/** From so few on, one should get new ones. */
const fewCodes = 3

/** Whether the user has a second factor; sets one up, or removes it. */
export function FactorPanel() {
  const texts = useTexts(factorTexts)
  const { may, timeZone } = useMe()
  const factor = useQuery({
    queryKey: ['factor'],
    queryFn: ({ signal }) => cobro.factor.retrieve({ signal }),
  })
  return (
    <Panel title={texts.title} query={factor}>
      {({ enabled, enabled_at, required, recovery_codes_left: left }) =>
        enabled ? (
          <>
            <StatusBadge status="approved" word={texts.on} />
            <Facts facts={[[texts.since, enabled_at && <Moment at={enabled_at} timeZone={timeZone} />]]} />
            <p>
              {texts.codesLeft(left)} {left <= fewCodes && !required && texts.fewCodes}
            </p>
            {required ? (
              <p>{texts.required}</p>
            ) : (
              may('removeFactor') && (
                <DialogButton label={texts.remove} tone="danger">
                  {close => <RemoveFactorForm close={close} />}
                </DialogButton>
              )
            )}
          </>
        ) : (
          <>
            <p>{texts.off}</p>
            {may('setUpFactor') && (
              <DialogButton label={texts.setUp} tone="plain" isDismissable={false}>
                {close => <SetUpFactor close={close} />}
              </DialogButton>
            )}
          </>
        )
      }
    </Panel>
  )
}
