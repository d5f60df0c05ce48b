/** A page that is written from declarations. */
export interface GeneratedPage {
  /** Its address below `/docs`. */
  path: string
  markdown: string
}
