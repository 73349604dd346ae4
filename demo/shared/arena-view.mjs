/** Draws the arena and reads the keys and the pointer; the pages of both demos use it. */

/** The part of the distance to its true position that a player glides in each frame. */
const SMOOTHING = 0.35
const GRID = 60
const TURN = Math.PI * 2

/** Draws the arena. The server sends 30 updates a second. Between them, players glide to their positions. */
export function createArenaView(canvas) {
  const context = canvas.getContext('2d')
  const shown = new Map()

  function drawGrid() {
    context.fillStyle = '#111a2e'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.strokeStyle = '#1b2640'
    context.lineWidth = 1
    context.beginPath()
    for (let x = GRID; x < canvas.width; x += GRID) context.rect(x, -1, 0, canvas.height + 2)
    for (let y = GRID; y < canvas.height; y += GRID) context.rect(-1, y, canvas.width + 2, 0)
    context.stroke()
  }

  function drawStar({ x, y }, time) {
    const radius = 11 + Math.sin(time / 300 + x)
    context.beginPath()
    for (let i = 0; i < 10; i += 1) {
      const [angle, length] = [(i / 10) * TURN - TURN / 4, i % 2 === 0 ? radius : radius / 2.2]
      context.lineTo(x + Math.cos(angle) * length, y + Math.sin(angle) * length)
    }
    context.closePath()
    context.fillStyle = '#ffe27a'
    context.fill()
  }

  function drawPlayer(player, isSelf) {
    const { x, y } = glide(player)
    context.beginPath()
    context.arc(x, y, 18, 0, TURN)
    context.fillStyle = player.color
    context.fill()
    if (isSelf) {
      context.lineWidth = 3
      context.strokeStyle = '#ffffff'
      context.stroke()
    }
  }

  /** Names stand above their players, or below them where another name is; a name without room is left out. */
  function drawNames(players) {
    context.font = '600 15px system-ui, sans-serif'
    context.textAlign = 'center'
    context.fillStyle = '#e8edf9'
    const drawn = []
    for (const { id, name } of players) {
      const { x, y } = shown.get(id)
      const width = context.measureText(name).width
      const isFree = (at) =>
        at > 16 &&
        drawn.every((other) => Math.abs(other.at - at) > 18 || Math.abs(other.x - x) > (other.width + width) / 2)
      const at = [y - 26, y + 36].find(isFree)
      if (at === undefined) continue
      context.fillText(name, x, at)
      drawn.push({ x, at, width })
    }
  }

  function glide({ id, x, y }) {
    const place = shown.get(id) ?? { x, y }
    place.x += (x - place.x) * SMOOTHING
    place.y += (y - place.y) * SMOOTHING
    shown.set(id, place)
    return place
  }

  return {
    draw({ players, stars }, self, time) {
      for (const id of shown.keys()) if (!players.some((player) => player.id === id)) shown.delete(id)
      drawGrid()
      for (const star of stars) drawStar(star, time)
      for (const player of players) drawPlayer(player, player.id === self)
      drawNames(players)
    },
  }
}

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
/** The radius around a player in which a finger stops it, in arena units. */
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
