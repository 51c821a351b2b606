export default function DeliveryScreen() {
  return null;
}
