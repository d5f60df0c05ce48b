import { profileName } from '../connection/connect.ts'
import { type ListenerKey, runningListeners } from './listeners.ts'

/** Returns how people call what is listened to. */
export function nameOf({ profile, forward_to }: ListenerKey): string {
  return forward_to === null ? `the profile ${profile}` : forward_to
}

/** Returns the command that stops this listener, and as few others as possible. */
export function stopCommand({ profile, forward_to }: ListenerKey): string {
  const hasOthers = runningListeners().some(other => other.profile === profile && other.forward_to !== forward_to)
  return [
    'cobro listen --stop',
    ...(profile === profileName({}) ? [] : [`--profile ${profile}`]),
    ...(hasOthers && forward_to !== null ? [`--forward-to ${forward_to}`] : []),
  ].join(' ')
}
