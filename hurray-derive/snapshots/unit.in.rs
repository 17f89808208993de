struct Marker;
