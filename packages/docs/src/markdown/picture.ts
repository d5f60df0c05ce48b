import { html } from './html.ts'

/** A picture, with the addresses of its files. */
export interface Picture {
  /** The file for a light page; also for a dark one if there is no other. */
  light: string
  dark: string | undefined
  width: number
  height: number
}

/** Returns the picture that a page names. Throws if there is none. */
export type FindPicture = (name: string) => Picture

/** Matches a picture in Markdown. */
const pictureMark = /!\[([^\]]*)\]\(([^)\s]+)\)/g

/** Returns the HTML of a picture. It leads to the file, since a page shows it smaller than it is. */
export function pictureHtml(alt: string, { light, dark, width, height }: Picture): string {
  if (alt.trim() === '') throw new Error(`The picture ${light} has no text for readers who do not see it.`)
  const inDark = dark !== undefined && html`<source media="(prefers-color-scheme: dark)" srcset="${dark}">`
  return html`<a class="picture" href="${light}"><picture>${inDark}<img src="${light}" alt="${alt}" width="${width}" height="${height}" loading="lazy" decoding="async"></picture></a>`
    .html
}

/** Puts the addresses of the files into Markdown. */
export function withPictureAddresses(markdown: string, find: FindPicture): string {
  return markdown.replace(pictureMark, (_mark, alt: string, name: string) => `![${alt}](${find(name).light})`)
}
