{{- define "hookwright.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 45 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 45 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "hookwright.selector" -}}
app.kubernetes.io/name: hookwright
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hookwright.labels" -}}
{{ include "hookwright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "hookwright.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "hookwright.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "hookwright.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* The pod of a part (api, daemon, migrate). Takes: root, part, resources. */}}
{{- define "hookwright.pod" -}}
{{- $ := .root -}}
{{- $part := .part -}}
{{- $metricsPort := 9464 -}}
metadata:
  labels:
    {{- include "hookwright.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
    {{- with $.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # At the first installation the Job runs before the chart's account is there.
  serviceAccountName: {{ if eq .part "migrate" }}{{ ternary "default" (include "hookwright.serviceAccount" $) $.Values.serviceAccount.create }}{{ else }}{{ include "hookwright.serviceAccount" $ }}{{ end }}
  automountServiceAccountToken: false
  # Variables such as HOOKWRIGHT_PORT, one for each Service, could be mistaken for settings.
  enableServiceLinks: false
  securityContext:
    {{- toYaml $.Values.podSecurityContext | nindent 4 }}
  {{- with $.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with $.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .part "migrate" }}
  restartPolicy: Never
  {{- else }}
  terminationGracePeriodSeconds: 30
  topologySpreadConstraints:
    {{- if $.Values.topologySpreadConstraints }}
    {{- toYaml $.Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "hookwright.selector" $ | nindent 10 }}
          app.kubernetes.io/component: {{ $part }}
    {{- end }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .part }}
      image: {{ include "hookwright.image" $ | quote }}
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      args: [{{ .part }}{{ if and (eq .part "migrate") $.Values.cell.number }}, --cell, "{{ int $.Values.cell.number }}", --of, "{{ int $.Values.cell.of }}"{{ end }}]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        # The folder with the secrets: a file for each.
        - name: CREDENTIALS_DIRECTORY
          value: /etc/hookwright/secrets
        {{- if ne .part "migrate" }}
        - name: METRICS_PORT
          value: "{{ $metricsPort }}"
        - name: METRICS_HOST
          value: "::"
        {{- end }}
        {{- range $name, $value := $.Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with $.Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- if ne .part "migrate" }}
      ports:
        {{- if eq .part "api" }}
        - { name: http, containerPort: 3000 }
        {{- end }}
        - { name: metrics, containerPort: {{ $metricsPort }} }
      # Only /health/live restarts: a process that is not ready recovers by itself when Postgres is back.
      startupProbe:
        httpGet: { path: /health/live, port: metrics }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /health/live, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health/ready, port: metrics }
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 2
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: secrets, mountPath: /etc/hookwright/secrets, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        {{- with $.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: secrets
      projected:
        defaultMode: 0440
        sources:
          - secret:
              name: {{ required "existingSecret is not set: name the Secret with ENCRYPTION_KEYS and DATABASE_URL" $.Values.existingSecret }}
          {{- with $.Values.database.existingSecret }}
          - secret:
              name: {{ . }}
              items: [{ key: {{ $.Values.database.key }}, path: DATABASE_URL }]
          {{- end }}
    - name: tmp
      emptyDir: { medium: Memory, sizeLimit: 64Mi }
    {{- with $.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
