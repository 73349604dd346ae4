const KEYS = {
  ArrowLeft: [-1, 0],
  KeyA: [-1, 0],
  ArrowRight: [1, 0],
  KeyD: [1, 0],
  ArrowUp: [0, -1],
  KeyW: [0, -1],
  ArrowDown: [0, 1],
  KeyS: [0, 1],
}
/** Arena units around oneself in which a finger means: stop. */
const NEAR = 12

/** Calls `onMove(x, y)` whenever the wanted direction changes: by keys, or by a pointer held down on the canvas. */
export function readControls(canvas, { isPlaying, self, onMove }) {
  const held = new Set()
  let pointer
  let sent = '0,0'

  function tell() {
    const [x, y] = held.size > 0 ? fromKeys() : fromPointer()
    const text = `${x},${y}`
    if (text === sent) return
    sent = text
    onMove(x, y)
  }

  function fromKeys() {
    return [...held].reduce(([x, y], code) => [x + KEYS[code][0], y + KEYS[code][1]], [0, 0])
  }

  function fromPointer() {
    const me = self()
    if (pointer === undefined || me === undefined) return [0, 0]
    const [dx, dy] = [pointer.x - me.x, pointer.y - me.y]
    const distance = Math.hypot(dx, dy)
    return distance < NEAR ? [0, 0] : [round(dx / distance), round(dy / distance)]
  }

  function place(event) {
    const { left, top, width, height } = canvas.getBoundingClientRect()
    return { x: ((event.clientX - left) / width) * canvas.width, y: ((event.clientY - top) / height) * canvas.height }
  }

  addEventListener('keydown', (event) => {
    if (!(event.code in KEYS) || !isPlaying() || event.target instanceof HTMLInputElement) return
    event.preventDefault() // arrow keys also scroll
    held.add(event.code)
    tell()
  })
  addEventListener('keyup', (event) => {
    if (held.delete(event.code)) tell()
  })
  addEventListener('blur', () => {
    held.clear()
    pointer = undefined
    tell()
  })
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId)
    pointer = place(event)
    tell()
  })
  canvas.addEventListener('pointermove', (event) => {
    if (pointer !== undefined) pointer = place(event)
  })
  for (const end of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(end, () => {
      pointer = undefined
      tell()
    })
  }

  return {
    /** To be called for each picture: a player that is pulled by a finger passes it. */
    update: tell,
    reset() {
      held.clear()
      pointer = undefined
      sent = '0,0'
    },
  }
}

const round = (value) => Math.round(value * 100) / 100
