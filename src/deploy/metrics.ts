export { byLabel, sidecarFamilies, type Family, type Sample, type SidecarFigures } from './metrics/prometheus.js'
export { serveMetrics, type MetricsServer } from './metrics/serve-metrics.js'
