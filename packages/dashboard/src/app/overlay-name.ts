/** What can be open above all screens. */
export type OverlayName = 'palette' | 'merchants' | 'help' | 'calls' | 'sections'

export interface OverlayProps {
  name: OverlayName
  /** Opens another in its place, or none. */
  show: (name: OverlayName | undefined) => void
}
