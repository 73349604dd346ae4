import type { Node } from 'yaml'

/**
 * Creates the function that finds the line, from 1, of a path in the first document of a text that `findDocument()` has
 * read: of a field's name, or of an item. Where the path leads to nothing, it is the line of the last part that is there.
 */
export async function createLineFinder(text: string): Promise<(path: readonly (string | number)[]) => number> {
  const yaml = await import('../yaml.js')
  const lines = new yaml.LineCounter()
  const [document] = yaml.parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'silent' })
  return (path) => {
    let offset = 0
    let node: unknown = document && 'contents' in document ? document.contents : undefined
    if (yaml.isNode(node)) offset = startOf(node)
    for (const part of path) {
      if (yaml.isAlias(node) && document !== undefined && 'contents' in document) node = node.resolve(document)
      if (yaml.isMap(node)) {
        const pair = node.items.find(({ key }) => String(yaml.isScalar(key) ? key.value : key) === String(part))
        if (pair === undefined) break
        if (yaml.isNode(pair.key)) offset = startOf(pair.key)
        node = pair.value
      } else if (yaml.isSeq(node)) {
        node = node.items[Number(part)]
        if (!yaml.isNode(node)) break
        offset = startOf(node)
      } else break
    }
    return lines.linePos(offset).line
  }
}

const startOf = (node: Node): number => node.range?.[0] ?? 0
