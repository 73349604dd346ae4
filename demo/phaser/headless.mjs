/**
 * The browser features that Phaser's HEADLESS renderer needs in Node: jsdom, a 2D context that draws nothing, and
 * images that load at once (Phaser's boot silently waits for three built-in textures). Import it before Phaser.
 */
import { JSDOM, VirtualConsole } from 'jsdom'

const virtualConsole = new VirtualConsole()
// An exception in a frame must end the server. jsdom would only print it.
virtualConsole.on('jsdomError', (error) => {
  if (error.type === 'unhandled exception')
    queueMicrotask(() => {
      throw error.detail
    })
  else console.warn(error.message)
})

const { window } = new JSDOM('<!doctype html><body></body>', {
  // requestAnimationFrame, 60 times a second
  pretendToBeVisual: true,
  // for `this.load.script()` and `this.load.plugin()`
  runScripts: 'dangerously',
  url: 'http://localhost/',
  virtualConsole,
})

// Every property of the context is a function that does nothing, except those that return pixels.
const context = new Proxy(
  {},
  {
    get: (target, name) =>
      target[name] ??
      ((_x, _y, width = 1, height = 1) => ({
        data: new Uint8ClampedArray(4 * width * height),
        width,
        height,
        addColorStop() {},
      })),
  },
)
window.HTMLCanvasElement.prototype.getContext = (type) => (type === '2d' ? context : null)
window.HTMLCanvasElement.prototype.toDataURL = () => ''

Object.defineProperty(window.HTMLImageElement.prototype, 'src', {
  set() {
    queueMicrotask(() => this.onload?.(new window.Event('load')))
  },
})

window.focus = () => {}

const names = [
  'window',
  'document',
  'navigator',
  'screen',
  'Image',
  'Element',
  'HTMLElement',
  'HTMLCanvasElement',
  'HTMLImageElement',
  'HTMLVideoElement',
  'XMLHttpRequest',
  'requestAnimationFrame',
  'cancelAnimationFrame',
]
for (const name of names) {
  // Defined, since newer versions of Node have a `navigator` that can't be assigned to.
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true })
}

/** Ends jsdom's timers, so that the process can end. */
export function closeWindow() {
  window.close()
}
