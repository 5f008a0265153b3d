module digits

go 1.19
