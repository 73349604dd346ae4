import { replacementSentence } from '../../sidecar/index.js'
import { plainText } from '../plain-text.js'
import type { LocalSidecar } from './local-sidecar.js'

/** Tells in a sentence whenever a fresh GameServer takes the place of another. Returns the function that ends it. */
export function followReplacements({ sidecar }: LocalSidecar, tell: (sentence: string) => void): () => void {
  return sidecar.log.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === 'replaced') tell(plainText(replacementSentence(change), 400))
  })
}
