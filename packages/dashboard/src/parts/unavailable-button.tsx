import { useId } from 'react'
import { Button } from 'react-aria-components'
import buttons from './buttons.module.css'

/** A button for what cannot be done now, with the reason. */
export function UnavailableButton({ label, reason }: { label: string; reason: string }) {
  const id = useId()
  return (
    <span className={buttons.unavailable}>
      <span id={id}>{reason}</span>
      <Button className={buttons.plain} isDisabled aria-describedby={id}>
        {label}
      </Button>
    </span>
  )
}
