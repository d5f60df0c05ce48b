# region hidden-wait
until cobro status > status.json; do sleep 0.5; done
# endregion

# region rehearse
for event in payment.approved payment.declined payment.failed payment.cancelled payment.duplicate payment.refunded; do
  cobro trigger $event --set metadata.order=rehearsal --quiet > event.json
done
# endregion

# region caller
cobro me
# endregion

# region calls
cobro requests list --status-class 4xx
# endregion

# region endpoints
cobro webhook-endpoints list --status active
# endregion

# region failed
cobro webhook-deliveries list --status failed,exhausted
# endregion

# region live
cobro status
cobro webhook-endpoints list --output yaml
cobro events list --limit 1
# endregion
