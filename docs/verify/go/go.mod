module hookwright.example/receiver

go 1.21
