import type { ToPage, ToWorker } from './runner.js'

let port: MessagePort

export const toPage = (message: ToPage, transfer: Transferable[] = []): void => port.postMessage(message, transfer)

/** Takes the port to the page, which comes with the worker's first message. */
export function onPage(onMessage: (event: MessageEvent<ToWorker>) => void): void {
  // Code could start workers without a time limit.
  for (const name of ['Worker', 'SharedWorker']) Reflect.deleteProperty(self, name)
  self.onmessage = ({ ports }) => {
    self.onmessage = null
    port = ports[0]!
    port.onmessage = onMessage
    toPage({ type: 'pong' })
  }
}
