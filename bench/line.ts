export interface Point {
  x: number;
  y: number;
}

/**
 * The straight line with the least squares.
 *
 * @returns null when the points do not make one: fewer than two, or all above each other
 */
export function lineThrough(points: readonly Point[]): { slope: number; meanY: number } | null {
  const mean = (value: (point: Point) => number) =>
    points.reduce((sum, point) => sum + value(point), 0) / points.length;
  const meanX = mean(({ x }) => x);
  const meanY = mean(({ y }) => y);
  const variance = mean(({ x }) => (x - meanX) ** 2);
  return variance > 0 ? { slope: mean(({ x, y }) => (x - meanX) * (y - meanY)) / variance, meanY } : null;
}
