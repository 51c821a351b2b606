export default function Endpoint() {
  return null;
}
