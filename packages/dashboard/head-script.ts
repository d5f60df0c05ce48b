import type { Plugin } from 'vite'

/** Adds a script of its own to the head of the page, which runs before anything is painted. It must import nothing. */
export function headScript(path: string): Plugin {
  let base = '/'
  let reference = ''
  return {
    name: 'head-script',
    configResolved(config) {
      base = config.base
    },
    buildStart() {
      reference = this.emitFile({ type: 'chunk', id: path, name: 'head' })
    },
    generateBundle(_options, bundle) {
      const chunk = bundle[this.getFileName(reference)]
      if (chunk?.type === 'chunk' && chunk.imports.length + chunk.exports.length > 0)
        this.error('a script of the head is no module: it can neither import nor export')
    },
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle = {} }) {
        const chunk = Object.values(bundle).find(one => one.type === 'chunk' && one.name === 'head')
        if (!chunk) throw new Error('The script of the head was not built.')
        return [{ tag: 'script', attrs: { src: `${base}${chunk.fileName}` }, injectTo: 'head-prepend' }]
      },
    },
  }
}
